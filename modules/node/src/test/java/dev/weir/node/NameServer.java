package dev.weir.node;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramPacket;
import io.vertx.core.datagram.DatagramSocket;

/** A DNS server that answers every name alike, as told, and can change its mind. */
final class NameServer {

  static final int OK = 0;
  static final int SERVFAIL = 2;
  static final int NXDOMAIN = 3;

  private static final int HEADER_BYTES = 12;
  private static final int TYPE_A = 1;
  private static final int TYPE_AAAA = 28;

  private final DatagramSocket socket;
  private volatile int code;
  private volatile int asked;

  private NameServer(Vertx vertx, int code) {
    this.socket = vertx.createDatagramSocket();
    this.code = code;
  }

  /**
   * @param code what each question is answered with; {@link #OK} names 127.0.0.1, and an IPv6
   *     address that leads nowhere
   */
  static NameServer start(Vertx vertx, int code) {
    NameServer names = new NameServer(vertx, code);
    names.socket.handler(names::answer);
    names.socket.listen(0, "127.0.0.1").await();
    return names;
  }

  int port() {
    return socket.localAddress().port();
  }

  void nowAnswers(int changed) {
    code = changed;
  }

  int asked() {
    return asked;
  }

  private void answer(DatagramPacket packet) {
    asked++;
    Buffer query = packet.data();
    int end = HEADER_BYTES;
    while (query.getByte(end) != 0) {
      end += 1 + query.getUnsignedByte(end);
    }
    int type = query.getUnsignedShort(end + 1);
    Buffer question = query.getBuffer(HEADER_BYTES, end + 5);
    boolean known = code == OK && (type == TYPE_A || type == TYPE_AAAA);
    Buffer reply =
        Buffer.buffer()
            .appendUnsignedShort(query.getUnsignedShort(0))
            .appendUnsignedShort(0x8180 | code)
            .appendUnsignedShort(1)
            .appendUnsignedShort(known ? 1 : 0)
            .appendUnsignedShort(0)
            .appendUnsignedShort(0)
            .appendBuffer(question);
    if (known) {
      byte[] address =
          type == TYPE_A
              ? new byte[] {127, 0, 0, 1}
              // Documentation addresses (RFC 3849) are routed nowhere.
              : new byte[] {0x20, 0x01, 0x0d, (byte) 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
      reply
          .appendUnsignedShort(0xc000 | HEADER_BYTES)
          .appendUnsignedShort(type)
          .appendUnsignedShort(1)
          .appendUnsignedInt(60)
          .appendUnsignedShort(address.length)
          .appendBytes(address);
    }
    socket.send(reply, packet.sender().port(), packet.sender().host());
  }
}
