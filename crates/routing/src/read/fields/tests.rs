use serde_json::json;

use super::*;

fn misfit<T: std::fmt::Debug>(read: Result<T, Misfit>) -> String {
    read.expect_err("a misfit").to_string()
}

#[test]
fn a_misfit_names_the_path_from_the_root() {
    let value = json!({ "spec": { "items": [{ "port": 80 }, { "port": "80" }] } });
    let read = Fields::of(&value)
        .and_then(|fields| fields.object("spec"))
        .and_then(|spec| {
            spec.expect("spec")
                .list("items", |item| Fields::of(item)?.port("port"))
                .map_err(|misfit| misfit.under("spec"))
        });
    assert!(misfit(read).starts_with("spec.items[1].port: must be a port number"));
}

#[test]
fn null_is_absent() {
    let value = json!({ "a": null, "b": 1 });
    let fields = Fields::of(&value).expect("fields");
    assert_eq!(fields.text("a"), Ok(None));
    assert_eq!(fields.unknown(&["b"]).count(), 0);
    assert_eq!(fields.unknown(&[]).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn types_are_not_bent() {
    let value = json!({ "text": 5, "flag": "yes", "number": 1.5, "list": {}, "map": [], "port": 0 });
    let fields = Fields::of(&value).expect("fields");
    assert!(misfit(fields.text("text")).starts_with("text: "));
    assert!(misfit(fields.boolean("flag")).starts_with("flag: "));
    assert!(misfit(fields.integer("number")).starts_with("number: "));
    assert!(misfit(fields.list("list", |_| Ok(()))).starts_with("list: "));
    assert!(misfit(fields.object("map")).starts_with("map: "));
    assert!(misfit(fields.port("port")).starts_with("port: "));
    assert!(misfit(fields.required_text("none")).starts_with("none: "));
    assert!(Fields::of(&json!([])).is_err());
}
