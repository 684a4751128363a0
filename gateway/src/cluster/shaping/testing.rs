//! What tests of shaping say of events, and where they happen.

use latchkey_core::object::ObjectName;
use latchkey_runtime::watch::Event;

use crate::{
    cluster::{fact::name_of, kinds::Scope},
    object::Kind,
};

/// These namespaces; none: all.
pub(super) fn scope(namespaces: &[&str]) -> Scope {
    Scope {
        namespaces: namespaces.iter().map(|&name| name.to_owned()).collect(),
        pepper: ObjectName::new("system", "peppers"),
    }
}

/// An event as `event kind name`.
pub(super) fn told(kind: Kind, event: &Event) -> String {
    let (what, object) = match event {
        Event::Deleted(object) => ("deleted", Some(object)),
        Event::Applied(object) => ("applied", Some(object)),
        Event::Listed(object) => ("listed", Some(object)),
        Event::ListBegin => ("begin", None),
        Event::ListEnd => ("end", None),
        Event::Missing => ("missing", None),
        Event::Trouble(_) => ("trouble", None),
        Event::Working => ("working", None),
    };
    let name = object.map(|object| name_of(object).expect("it has a name").name);
    let words = [what, kind.as_str(), name.as_deref().unwrap_or_default()];
    words.join(" ").trim_end().to_owned()
}
