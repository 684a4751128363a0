use proptest::prelude::*;

use super::*;

/// Replaces what a `PathPrefix` match on `prefix` covers.
fn replaced(path: &str, prefix: &str, by: &str) -> String {
    let matched = prefix.strip_suffix('/').unwrap_or(prefix).len();
    let change = PathChange::prefix(matched, by).expect("a replacement");
    change.apply(path).into_owned()
}

/// The table in the documentation of Gateway API's `HTTPPathModifier`, and what follows from it.
#[test]
fn a_prefix_is_replaced_by_whole_segments() {
    for (path, prefix, by, expected) in [
        ("/foo/bar", "/foo", "/xyz", "/xyz/bar"),
        ("/foo/bar", "/foo", "/xyz/", "/xyz/bar"),
        ("/foo/bar", "/foo/", "/xyz", "/xyz/bar"),
        ("/foo/bar", "/foo/", "/xyz/", "/xyz/bar"),
        ("/foo", "/foo", "/xyz", "/xyz"),
        ("/foo/", "/foo", "/xyz", "/xyz/"),
        ("/foo/bar", "/foo", "", "/bar"),
        ("/foo/", "/foo", "", "/"),
        ("/foo", "/foo", "", "/"),
        ("/foo/", "/foo", "/", "/"),
        ("/foo", "/foo", "/", "/"),
        ("/foo", "/foo", "/xyz/", "/xyz"),
        ("/foo", "/foo/", "/xyz/", "/xyz"),
        ("/", "/", "/xyz", "/xyz/"),
        ("/a", "/", "/xyz", "/xyz/a"),
        ("/a", "/", "/", "/a"),
    ] {
        assert_eq!(replaced(path, prefix, by), expected, "{path} {prefix} {by:?}");
    }
}

#[test]
fn a_full_path_stands_for_every_path() {
    let change = PathChange::full("/one/two/").expect("a path");
    assert_eq!(change.apply("/anything"), "/one/two/");
    assert_eq!(change.apply("/"), "/one/two/");
}

#[test]
fn what_clients_may_not_send_is_not_made() {
    for path in [
        "",
        "a",
        "//",
        "/a//b",
        "/.",
        "/..",
        "/a/../b",
        "/a/./b",
        "/..;x",
        "/.%3bx",
        "/a?b",
        "/a#b",
        "/a b",
        "/a\\b",
        "/%2f",
        "/%5C",
        "/%2e%2e",
        "/%00",
        "/%7F",
        "/%",
        "/%4",
        "/%zz",
        "/\u{e9}",
        "/a\nb",
        "/\"",
        "http://evil/",
        "*",
    ] {
        assert_eq!(PathChange::full(path), Err(InvalidPath), "{path:?}");
        if !path.is_empty() {
            assert_eq!(PathChange::prefix(0, path), Err(InvalidPath), "{path:?}");
        }
    }
    for path in [
        "/",
        "/a",
        "/a/",
        "/.well-known/a",
        "/a..b",
        "/...",
        "/a;x=1",
        "/caf%C3%A9",
        "/%20",
        "/a=@:",
    ] {
        assert!(PathChange::full(path).is_ok(), "{path:?}");
    }
}

/// A path as the gateway lets it in.
fn path() -> impl Strategy<Value = String> {
    ("(/[a-z]{1,3}){0,4}", any::<bool>()).prop_map(|(path, slash)| {
        if slash || path.is_empty() {
            path + "/"
        } else {
            path
        }
    })
}

proptest! {
    #[test]
    fn a_replaced_path_is_again_one_that_is_let_in(prefix in path(), rest in path(), by in path()) {
        let matched = prefix.strip_suffix('/').unwrap_or(&prefix);
        let asked = format!("{matched}{rest}");
        let made = replaced(&asked, &prefix, &by);
        prop_assert_eq!(check(&made), Ok(()), "{}", made);
        let kept = made.ends_with(rest.as_str());
        prop_assert!(kept, "{} keeps {}", made, rest);
        prop_assert_eq!(replaced(&made, &by, &prefix), asked);
    }

    #[test]
    fn no_text_and_no_path_break_it(text in ".{0,12}", path in ".{0,12}", matched in 0_usize..16) {
        let _ = PathChange::full(&text);
        if let Ok(change) = PathChange::prefix(matched, &text) {
            prop_assert!(!change.apply(&path).is_empty());
        }
    }
}
