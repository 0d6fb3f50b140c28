//! Who may read and write what: the roles of the embedded broker, and of an access list for any other broker.
//!
//! In: a role and a topic or filter. Out: yes or no. It knows no passwords.

use super::topic::Topics;

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// This node: everything.
    Node,
    /// Writes requests, reads everything.
    Arbiter,
    /// Reads what spectators in the hall see.
    Display,
    /// Anonymous: reads the public feed, and the live one where that is open.
    Public,
}

/// The access list of one topic tree.
#[derive(Clone, Debug)]
pub struct Acl {
    arbiter_writes: Vec<String>,
    /// What asks for missed events: who reads the live feed may ask.
    asks: String,
    display_reads: Vec<String>,
    public_reads: Vec<String>,
}

impl Acl {
    /// The list for the tree; `live_open` lets anybody read the live feed.
    pub fn new(topics: &Topics, live_open: bool) -> Acl {
        let prefix = topics.prefix();
        let public = vec![format!("{prefix}/table/+/public/#"), format!("{prefix}/node/+/state")];
        let live = format!("{prefix}/table/+/live/#");
        let display: Vec<String> = public.iter().cloned().chain([live]).collect();
        Acl {
            arbiter_writes: vec![topics.requests(None), topics.republish(), topics.missed(None)],
            asks: topics.missed(None),
            public_reads: if live_open { display.clone() } else { public },
            display_reads: display,
        }
    }

    /// Whether the role may publish to the topic.
    pub fn may_publish(&self, role: Role, topic: &str) -> bool {
        match role {
            Role::Node => true,
            Role::Arbiter => covered_by(topic, &self.arbiter_writes),
            Role::Display | Role::Public => covers(&self.asks, topic) && self.may_subscribe(role, topic),
        }
    }

    /// Whether the role may subscribe to all that the filter matches.
    pub fn may_subscribe(&self, role: Role, filter: &str) -> bool {
        match role {
            Role::Node => true,
            Role::Arbiter => !filter.starts_with('$'),
            Role::Display => covered_by(filter, &self.display_reads),
            Role::Public => covered_by(filter, &self.public_reads),
        }
    }
}

fn covered_by(filter: &str, allowed: &[String]) -> bool {
    allowed.iter().any(|pattern| covers(pattern, filter))
}

/// Whether every topic that `filter` matches is also matched by `pattern`.
fn covers(pattern: &str, filter: &str) -> bool {
    let mut levels = filter.split('/');
    for allowed in pattern.split('/') {
        let level = levels.next();
        match (allowed, level) {
            ("#", _) => return true,
            (_, None | Some("#")) => return false,
            ("+", Some(_)) => {}
            (literal, Some(level)) if literal == level => {}
            _ => return false,
        }
    }
    levels.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl(live_open: bool) -> Acl {
        Acl::new(&Topics::new("bughouse", "n"), live_open)
    }

    #[test]
    fn a_filter_is_covered_only_when_all_its_topics_are() {
        let yes = [("a/+/c", "a/b/c"), ("a/+/c", "a/+/c"), ("a/#", "a/b/#"), ("a/#", "a"), ("a/#", "a/+/b")];
        let no = [("a/+/c", "a/#"), ("a/b", "a/+"), ("a/b", "a"), ("a/b", "a/b/c"), ("a/#", "#"), ("a/#", "+/b")];
        for (pattern, filter) in yes {
            assert!(covers(pattern, filter), "{pattern} covers {filter}");
        }
        for (pattern, filter) in no {
            assert!(!covers(pattern, filter), "{pattern} does not cover {filter}");
        }
    }

    #[test]
    fn anonymous_reads_live_only_where_it_is_open_and_never_the_arbiter() {
        let may = |open, filter| acl(open).may_subscribe(Role::Public, filter);
        assert!(may(true, "bughouse/table/1/live/#") && !may(false, "bughouse/table/1/live/#"));
        assert!(may(false, "bughouse/table/+/public/event") && may(false, "bughouse/node/+/state"));
        for filter in [
            "#",
            "bughouse/#",
            "bughouse/table/#",
            "bughouse/table/1/arbiter/incident",
            "bughouse/table/1/+/event",
            "$share/x/bughouse/table/1/arbiter/#",
            "bughouse/node/n/info",
            "bughouse/table/1/device/d/state",
        ] {
            assert!(!may(true, filter), "{filter}");
        }
    }

    #[test]
    fn only_arbiters_write_and_only_requests() {
        let may = |role, topic| acl(true).may_publish(role, topic);
        assert!(may(Role::Arbiter, "bughouse/table/1/arbiter/request/claim"));
        assert!(!may(Role::Arbiter, "bughouse/table/1/live/state"));
        assert!(!may(Role::Public, "bughouse/table/1/arbiter/request/claim"));
        assert!(!may(Role::Display, "bughouse/table/1/live/event"));
        assert!(may(Role::Node, "anything"));
    }
}
