-- connection-test: answers its first argument, for the tests of loading.
return ARGV[1]
