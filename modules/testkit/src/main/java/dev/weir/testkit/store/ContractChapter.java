package dev.weir.testkit.store;

/** A chapter of the contract: tests over one bench. */
interface ContractChapter {

  StoreBench bench();
}
