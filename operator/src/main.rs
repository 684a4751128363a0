//! `latchkey-operator`.

fn main() {}
