// Nothing: what it is compiled with is precompiled for the plugins of tests.
