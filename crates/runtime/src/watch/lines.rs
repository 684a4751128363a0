//! A stream of bytes as lines, none longer than a limit.

use bytes::{Buf as _, Bytes, BytesMut};

/// A line is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// What came and is not a whole line yet.
#[derive(Debug)]
pub(super) struct Lines {
    rest: BytesMut,
    /// How much of it has no line end, so that no byte is looked at twice.
    searched: usize,
    limit: usize,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            rest: BytesMut::new(),
            searched: 0,
            limit,
        }
    }

    pub(super) fn push(&mut self, data: &[u8]) {
        self.rest.extend_from_slice(data);
    }

    /// The next whole line that is not empty, without its end.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, TooLong> {
        loop {
            let Some(end) = self.rest[self.searched..].iter().position(|byte| *byte == b'\n') else {
                self.searched = self.rest.len();
                return if self.searched > self.limit {
                    Err(TooLong)
                } else {
                    Ok(None)
                };
            };
            let line = self.rest.split_to(self.searched + end).freeze();
            self.rest.advance(1);
            self.searched = 0;
            if line.len() > self.limit {
                return Err(TooLong);
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests;
