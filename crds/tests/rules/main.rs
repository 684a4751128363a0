//! What the CRDs refuse, and that `validate` refuses the same in files.

mod admission;
mod limits;
mod samples;
