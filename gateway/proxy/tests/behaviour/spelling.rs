//! How a target may be spelled: the client's bytes, the gateway's answer, and the upstream's bytes (O-D2).
//!
//! `/key` asks for a key and `/open` does not, both have one upstream. Whatever is sent without a key, the
//! upstream never gets what it may read as `/key`.

use crate::harness::{Gateway, Upstream, objects::ALICE};

/// The client's target, the gateway's status, and the target that the upstream gets.
type Row = (&'static [u8], u16, Option<&'static str>);

/// What is read as `/key`, or is not `/key` to any reader.
const JUDGED: &[Row] = &[
    (b"/key", 401, None),
    (b"/key/", 401, None),
    (b"/%6bey/x", 401, None),
    (b"/%6B%65%79", 401, None),
    (b"http://a.example/key", 401, None),
    (b"http://a.example/%6bey/x", 401, None),
    (b"/key?/../open", 401, None),
    (b"/key#/../open", 401, None),
    (b"/KEY/x", 404, None),
    (b"/keys", 404, None),
    (b"/key;x/y", 404, None),
    (b"/key%3fx", 404, None),
    (b"/key%2523", 404, None),
    (b"/open;/x", 404, None),
    (b"http://a.example", 404, None),
];

/// What two readers may read differently.
const REFUSED: &[Row] = &[
    (b"/open/../key/x", 400, None),
    (b"/open/..", 400, None),
    (b"/open/./x", 400, None),
    (b"/open/%2e%2e/key/x", 400, None),
    (b"/open/.%2E/key/x", 400, None),
    (b"/open/%2e./key/x", 400, None),
    (b"/open/..;/key/x", 400, None),
    (b"/open/..;a=b/key/x", 400, None),
    (b"/open/%2e%2e%3b/key/x", 400, None),
    (b"/open/..%3B/key/x", 400, None),
    (b"//key/x", 400, None),
    (b"/open//key", 400, None),
    (b"///", 400, None),
    (b"/....//key", 400, None),
    (b"/open%2f..%2fkey/x", 400, None),
    (b"/open%2Fkey", 400, None),
    (b"/open%5c..%5ckey", 400, None),
    (b"/open/..\\key/x", 400, None),
    (b"/open\\..\\key", 400, None),
    (b"/key/x%00", 400, None),
    (b"/open/%0d%0a", 400, None),
    (b"/open/%7f", 400, None),
    (b"/open/%zz", 400, None),
    (b"/open/%", 400, None),
    (b"/open/%4", 400, None),
    (b"/open/%u002e%u002e/key", 400, None),
    (b"http://a.example/open/../key", 400, None),
    (b"http://a.example//key", 400, None),
    (b"http://b.example/open", 400, None),
    (b"*", 400, None),
    (b"key", 400, None),
    (b"open/../key", 400, None),
    (b"a.example:80", 400, None),
    (b"", 400, None),
    (b"/open/\0", 400, None),
    (b"/open/\x7f", 400, None),
    (b"/open/\t", 400, None),
    (b"/open/ /x", 400, None),
];

/// What goes on, in the one form that was matched.
const SENT: &[Row] = &[
    (b"/open", 200, Some("/open")),
    (b"/open/", 200, Some("/open/")),
    (b"/%6Fpen/x", 200, Some("/open/x")),
    (b"http://a.example/%6fpen/x?a#b", 200, Some("/open/x?a")),
    (b"http://A.EXAMPLE:80/open", 200, Some("/open")),
    (b"/open/%252e%252e/key", 200, Some("/open/%252e%252e/key")),
    (b"/open/%c0%ae%c0%ae/key", 200, Some("/open/%C0%AE%C0%AE/key")),
    (b"/open/.../key", 200, Some("/open/.../key")),
    (b"/open/..%2e/key", 200, Some("/open/.../key")),
    (b"/open/..key/.x", 200, Some("/open/..key/.x")),
    (b"/open/a;b=c/d;..", 200, Some("/open/a;b=c/d;..")),
    (b"/open/%e9?q=%e9", 200, Some("/open/%E9?q=%e9")),
    (b"/open/caf\xc3\xa9", 200, Some("/open/caf%C3%A9")),
    (b"/open/%41%2d%5F%7e%2c", 200, Some("/open/A-_~%2C")),
    (b"/open/?", 200, Some("/open/?")),
    (b"/open?", 200, Some("/open?")),
    (b"/open?a=?b&/../key", 200, Some("/open?a=?b&/../key")),
    (b"/open?\\..\\key=%zz&%2F", 200, Some("/open?\\..\\key=%zz&%2F")),
    (b"/open/x#/../key", 200, Some("/open/x")),
];

fn head(target: &[u8], lines: &str) -> Vec<u8> {
    let rest = format!(" HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n");
    [b"GET ", target, rest.as_bytes()].concat()
}

#[test]
fn what_is_matched_is_what_is_sent_and_nothing_else_gets_past_a_policy() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for (target, status, sent) in [JUDGED, REFUSED, SENT].concat() {
        let shown = target.escape_ascii();
        let before = upstream.requests().len();
        let mut client = gateway.connect();
        let answer = client.ask(head(target, ""));
        assert_eq!(answer.status(), status, "{shown}");
        if status == 400 {
            assert!(client.is_closed(), "{shown} has another behind it");
        }
        let targets: Vec<String> = upstream.requests()[before..]
            .iter()
            .map(|request| request.target().to_owned())
            .collect();
        assert_eq!(targets, Vec::from_iter(sent), "{shown}");
    }
}

/// Who routes, who asks for the key and who gets the request read one spelling.
#[test]
fn with_a_key_the_upstream_gets_what_was_judged() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for (target, sent) in [
        ("/%6bey/%78?x=%78&apikey=KEY", "/key/x?x=%78"),
        ("/key/%C3%A9?%61pi%6bey=KEY&y", "/key/%C3%A9?y"),
        ("http://a.example/%6bey?apikey=KEY", "/key"),
    ] {
        let target = target.replace("KEY", ALICE);
        assert_eq!(gateway.ask(head(target.as_bytes(), "")).status(), 200, "{target}");
        assert_eq!(upstream.requests().pop().unwrap().target(), sent);
    }
}
