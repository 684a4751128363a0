use super::*;

fn error(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn documents_are_numbered_and_know_their_line() {
    let text = "# two objects\n---\nkind: A\n---\n# nothing here\n---\nkind: B\nname: b\n";
    let documents = parse(text.as_bytes()).unwrap();
    let places: Vec<_> = documents.iter().map(|d| (d.number, d.line)).collect();
    assert_eq!(places, [(1, 3), (2, 7)]);
    assert_eq!(documents[1].value, serde_json::json!({"kind": "B", "name": "b"}));
}

#[test]
fn an_empty_file_is_no_document_and_no_error() {
    for text in ["", "\n", "# nothing\n", "---\n", "---\n---\n# a\n", "...\n"] {
        assert_eq!(parse(text.as_bytes()), Ok(Vec::new()), "{text:?}");
    }
}

#[test]
fn json_is_yaml() {
    let documents = parse(br#"{"kind": "A", "list": [1, true, null, "x"]}"#).unwrap();
    assert_eq!(
        documents[0].value,
        serde_json::json!({"kind": "A", "list": [1, true, null, "x"]})
    );
}

#[test]
fn an_error_names_document_and_line_and_shows_no_value() {
    let cases = [
        ("kind: A\n---\nkind: B\nkey: [hunter2-hunter2\n", "document 2"),
        (
            "kind: A\nkey: hunter2-hunter2\nkey: other\n",
            "document 1, line 3: a field stands twice",
        ),
        (
            "kind: A\n\tkey: hunter2-hunter2\n",
            "document 1, line 1: not YAML",
        ),
        ("kind: A\nkey: *hunter2-hunter2\n", "document 1, line 2: an alias"),
        ("kind: A\nkey: \"hunter2-hunter2\n", "document 1"),
        ("kind: A: hunter2-hunter2\n", "document 1, line 1"),
        (
            "kind: A\nkey: .nan # hunter2\n",
            "document 1, line 2: a number is not finite",
        ),
    ];
    for (text, expected) in cases {
        let message = error(text);
        assert!(message.starts_with(expected), "{text:?}: {message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
}

#[test]
fn what_is_not_utf8_is_refused_with_its_line() {
    let problem = parse(b"kind: A\nkey: \xff\n").unwrap_err();
    assert_eq!(problem.to_string(), "line 2: not UTF-8; save the file as UTF-8");
}

#[test]
fn depth_is_limited() {
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert!(error(&deep).contains("over a limit"), "{}", error(&deep));
    let fine = format!("{}1{}", "[".repeat(50), "]".repeat(50));
    assert_eq!(parse(fine.as_bytes()).unwrap().len(), 1);
}

#[test]
fn an_alias_bomb_is_limited() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let below = level - 1;
        let aliases = vec![format!("*a{below}"); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(error(&bomb).contains("over a limit"), "{}", error(&bomb));
}

#[test]
fn anchors_in_small_numbers_work() {
    let documents = parse(b"a: &x {k: v}\nb: *x\n").unwrap();
    assert_eq!(
        documents[0].value,
        serde_json::json!({"a": {"k": "v"}, "b": {"k": "v"}})
    );
}

#[test]
fn every_line_end_of_yaml_ends_a_line() {
    for end in ["\n", "\r", "\r\n"] {
        let text = "# a comment\nkind: A\n---\nkind: B\n".replace('\n', end);
        let documents = parse(text.as_bytes()).unwrap();
        let places: Vec<_> = documents.iter().map(|d| (d.number, d.line)).collect();
        assert_eq!(places, [(1, 2), (2, 4)], "{end:?}");
        let message = error(&"# a comment\nkind: A\n---\nkind: B\nkey: [x\n".replace('\n', end));
        assert!(message.starts_with("document 2"), "{end:?}: {message}");
        assert_eq!(parse(format!("# a{end}---{end}# b").as_bytes()), Ok(Vec::new()));
        let problem = parse(&[b"kind: A", end.as_bytes(), b"\xff"].concat()).unwrap_err();
        assert!(problem.to_string().starts_with("line 2"), "{end:?}: {problem}");
    }
}

#[test]
fn values_are_limited() {
    let fine = format!("[{}]", "1,".repeat(MAX_NODES / 2));
    assert_eq!(parse(fine.as_bytes()).unwrap().len(), 1);
    let many = format!("[{}]", "1,".repeat(MAX_NODES));
    assert!(error(&many).contains("over a limit"), "{}", error(&many));
}

proptest::proptest! {
    #[test]
    fn nothing_panics(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn nothing_of_yaml_shape_panics(text in "[ab:\\-\n \\[\\]{}&*!|>'\"#,?%@]{0,80}") {
        let _ = parse(text.as_bytes());
    }
}
