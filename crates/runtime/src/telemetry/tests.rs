use super::*;

#[test]
fn unset_and_blank_filters_mean_info() {
    for text in [None, Some(""), Some("  ")] {
        assert_eq!(filter(text).unwrap().to_string(), "info", "{text:?}");
    }
}

#[test]
fn a_filter_by_module_is_taken_as_it_is() {
    let read = filter(Some("warn,latchkey_proxy=debug")).unwrap().to_string();
    assert!(
        read.contains("warn") && read.contains("latchkey_proxy=debug"),
        "{read}"
    );
}

#[test]
fn a_bad_filter_is_refused_with_its_text_and_the_remedy() {
    let message = filter(Some("latchkey=loud")).unwrap_err().to_string();
    assert!(
        message.contains("RUST_LOG=`latchkey=loud`") && message.contains("such as `info`"),
        "{message}"
    );
}

#[test]
fn formats_have_the_names_of_the_flag() {
    for (text, format) in [("json", LogFormat::Json), ("text", LogFormat::Text)] {
        assert_eq!(LogFormat::from_str(text, false), Ok(format));
    }
    assert!(LogFormat::from_str("xml", false).is_err());
}
