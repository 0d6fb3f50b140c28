//! The first packet that a browser sends: MQTT's CONNECT.
//!
//! In: its bytes as they come. Out: whether somebody logs in with it, and the same packet with another login for a
//! browser that has signed in at the web server. Versions 3.1.1 and 5. Nothing else of MQTT is known here.

/// The largest CONNECT that is looked at, in bytes.
pub(super) const OPENING_BYTES_MAX: usize = 64 << 10;
const CONNECT: u8 = 0x10;
const HAS_USER: u8 = 0x80;
const HAS_PASSWORD: u8 = 0x40;
const HAS_WILL: u8 = 0x04;
const VERSION_5: u8 = 5;

/// What is known of the beginning of a conversation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opening<'a> {
    /// More bytes must come.
    Incomplete,
    /// No CONNECT.
    Strange,
    /// A whole CONNECT, and the bytes behind it.
    Whole(Connect<'a>, &'a [u8]),
}

/// A CONNECT by its parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Connect<'a> {
    /// Protocol name and version.
    name: &'a [u8],
    flags: u8,
    /// Keep-alive, properties, client id and will.
    middle: &'a [u8],
}

impl<'a> Opening<'a> {
    /// Reads the beginning of a conversation.
    pub fn read(bytes: &'a [u8]) -> Opening<'a> {
        let Some((&kind, rest)) = bytes.split_first() else { return Opening::Incomplete };
        if kind != CONNECT {
            return Opening::Strange;
        }
        let (length, rest) = match varint(rest) {
            Some(read) => read,
            None if rest.len() < 4 => return Opening::Incomplete,
            None => return Opening::Strange,
        };
        if length > OPENING_BYTES_MAX {
            return Opening::Strange;
        }
        let Some((packet, behind)) = rest.split_at_checked(length) else { return Opening::Incomplete };
        Connect::read(packet).map_or(Opening::Strange, |connect| Opening::Whole(connect, behind))
    }
}

impl<'a> Connect<'a> {
    fn read(packet: &'a [u8]) -> Option<Connect<'a>> {
        let (_, after_name) = field(packet)?;
        let (&version, rest) = after_name.split_first()?;
        let name = &packet[..packet.len() - rest.len()];
        let (&flags, start) = rest.split_first()?;
        let mut rest = start.get(2..)?;
        if version == VERSION_5 {
            rest = properties(rest)?;
        }
        rest = field(rest)?.1;
        if flags & HAS_WILL != 0 {
            if version == VERSION_5 {
                rest = properties(rest)?;
            }
            rest = field(field(rest)?.1)?.1;
        }
        let middle = &start[..start.len() - rest.len()];
        for part in [HAS_USER, HAS_PASSWORD] {
            if flags & part != 0 {
                rest = field(rest)?.1;
            }
        }
        rest.is_empty().then_some(Connect { name, flags, middle })
    }

    /// Whether somebody logs in with it.
    pub fn logs_in(&self) -> bool {
        self.flags & (HAS_USER | HAS_PASSWORD) != 0
    }

    /// The packet with this login instead of its own.
    pub fn with_login(&self, user: &str, password: &str) -> Vec<u8> {
        let mut packet = self.name.to_vec();
        packet.push(self.flags | HAS_USER | HAS_PASSWORD);
        packet.extend_from_slice(self.middle);
        for text in [user, password] {
            let bytes = &text.as_bytes()[..text.len().min(usize::from(u16::MAX))];
            packet.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
            packet.extend_from_slice(bytes);
        }
        let mut out = vec![CONNECT];
        let mut length = packet.len();
        loop {
            let more = length > 0x7f;
            out.push((length & 0x7f) as u8 | if more { 0x80 } else { 0 });
            length >>= 7;
            if !more {
                break;
            }
        }
        out.extend(packet);
        out
    }
}

/// A length of up to four bytes, seven bits each.
fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(4).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

/// A field with its length before it, and what comes behind.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(2)?;
    rest.split_at_checked(usize::from(u16::from_be_bytes([length[0], length[1]])))
}

fn properties(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = varint(bytes)?;
    rest.get(length..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CONNECT of `version` with a will if `will`, and the login.
    fn packet(version: u8, will: bool, login: Option<(&str, &str)>) -> Vec<u8> {
        let text = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
        let none = if version == VERSION_5 { vec![0] } else { Vec::new() };
        let flags = 2 | if will { HAS_WILL } else { 0 } | login.map_or(0, |_| HAS_USER | HAS_PASSWORD);
        let mut body = [text("MQTT"), vec![version, flags, 0, 60], none.clone(), text("client")].concat();
        if will {
            body.extend([none, text("topic"), text("gone")].concat());
        }
        if let Some((user, password)) = login {
            body.extend([text(user), text(password)].concat());
        }
        let mut out = vec![CONNECT];
        if body.len() > 0x7f {
            out.push((body.len() & 0x7f) as u8 | 0x80);
            out.push((body.len() >> 7) as u8);
        } else {
            out.push(body.len() as u8);
        }
        out.extend(body);
        out
    }

    #[test]
    fn a_login_is_put_in_and_replaced() {
        for version in [4, 5] {
            for will in [false, true] {
                let bare = packet(version, will, None);
                let full = packet(version, will, Some(("arbiter", "secret")));
                let long = packet(version, will, Some(("arbiter", &"x".repeat(200))));
                for bytes in [&bare, &full, &long] {
                    let more = [&bytes[..], b"behind"].concat();
                    let Opening::Whole(connect, behind) = Opening::read(&more) else { panic!("{more:?}") };
                    assert_eq!((behind, connect.logs_in()), (&b"behind"[..], *bytes != bare));
                    assert_eq!(connect.with_login("arbiter", "secret"), full);
                    assert_eq!(connect.with_login("arbiter", &"x".repeat(200)), long);
                    for cut in 0..bytes.len() {
                        assert_eq!(Opening::read(&bytes[..cut]), Opening::Incomplete, "{cut}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_connect_is_strange() {
        for bytes in [&[0x30, 0][..], &[CONNECT, 0], &[CONNECT, 0xff, 0xff, 0xff, 0xff, 1], &[CONNECT, 3, 0, 9, 1]] {
            assert_eq!(Opening::read(bytes), Opening::Strange, "{bytes:?}");
        }
        let mut long = packet(5, true, Some(("a", "b")));
        long[1] += 1;
        long.push(0);
        assert_eq!(Opening::read(&long), Opening::Strange, "bytes that nobody told of");
    }
}
