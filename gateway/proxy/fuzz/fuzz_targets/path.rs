//! Bytes that a fuzzer makes, for the entry point of the same name.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| latchkey_proxy::fuzzing::path(data));
