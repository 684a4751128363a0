use std::{collections::VecDeque, convert::Infallible, task::Waker};

use http::HeaderMap;

use super::*;

/// A body that is there piece by piece, with trailers where a piece is empty.
#[derive(Debug)]
struct Pieces(VecDeque<&'static str>);

fn pieces(pieces: &[&'static str]) -> Pieces {
    Pieces(pieces.iter().copied().collect())
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| {
            Ok(match piece {
                "" => Frame::trailers(HeaderMap::new()),
                piece => Frame::data(Bytes::from_static(piece.as_bytes())),
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

/// So many frames, as text; `.` where it ends, `?` where it does not go on.
fn read<B: Body<Data = Bytes> + Unpin>(body: &mut B, frames: usize) -> String {
    let mut text = String::new();
    for _ in 0..frames {
        match Pin::new(&mut *body).poll_frame(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => text.push('?'),
            Poll::Ready(None) => text.push('.'),
            Poll::Ready(Some(frame)) => {
                let frame = frame.unwrap_or_else(|_| unreachable!("it has no error"));
                if let Ok(data) = frame.into_data() {
                    text.push_str(std::str::from_utf8(&data).unwrap());
                }
            }
        }
    }
    text
}

#[test]
fn a_body_can_be_had_again_while_all_of_it_is_kept() {
    let cases: [(&[&str], usize, usize, Option<&str>); 8] = [
        (&["ab", "cd", "ef"], 0, 0, Some("abcdef")),
        (&["ab", "cd", "ef"], 1, 4, Some("abcdef")),
        (&["ab", "cd", "ef"], 2, 4, Some("abcdef")),
        (&["ab", "cd", "ef"], 3, 4, None),
        (&["ab", "cd", "ef"], 1, 1, None),
        (&["abcdef", ""], 1, 6, Some("abcdef")),
        (&["abcdef", ""], 2, 6, None),
        (&["abcdef"], 2, 6, Some("abcdef")),
    ];
    for (what, passed, limit, wanted) in cases {
        let (mut taped, tape) = tape(pieces(what), limit);
        read(&mut taped, passed);
        let again = tape.rewind();
        assert_eq!(again.is_some(), wanted.is_some(), "{what:?}, {passed}, {limit}");
        if let (Some(mut again), Some(wanted)) = (again, wanted) {
            assert_eq!(again.size_hint().exact(), Some(wanted.len() as u64));
            assert!(!again.is_end_stream());
            assert_eq!(read(&mut again, 5).trim_end_matches('.'), wanted);
            assert!(again.is_end_stream());
        }
    }
}

/// It could take an end for that of the whole, and send it.
#[test]
fn the_first_sender_sees_no_end_once_it_was_taken_back() {
    let (mut taped, tape) = tape(pieces(&["ab", "cd"]), 9);
    assert_eq!(read(&mut taped, 1), "ab");
    let _again = tape.rewind().unwrap();
    assert_eq!(read(&mut taped, 2), "??");
    assert!(!taped.is_end_stream());
}

#[test]
fn what_is_not_going_to_be_sent_again_is_not_kept() {
    let (mut taped, tape) = tape(pieces(&["ab", "cd"]), 9);
    read(&mut taped, 1);
    drop(tape);
    assert!(taped.0.borrow().kept.is_none());
    assert_eq!(read(&mut taped, 2), "cd.");
}
