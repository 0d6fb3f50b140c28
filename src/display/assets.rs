//! The page's files, compiled into the program.
//!
//! In: a path and the request's headers. Out: the file with its type, an entity tag and a caching rule, `304` when
//! the browser has it, `404` when there is none. It knows nothing of what the files say.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use rust_embed::{Embed, EmbeddedFile};

/// Files below this folder carry their version in their name and never change.
const VERSIONED: &str = "vendor/";
const CACHE_FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Kept, but asked for again each time: a new daemon brings a new page.
const CACHE_ASK: HeaderValue = HeaderValue::from_static("no-cache");

#[derive(Embed)]
#[folder = "src/display/web/"]
struct Web;

/// Answers with the file at `path`, relative to the page's folder.
pub(super) fn answer(path: &str, request: &HeaderMap) -> Response {
    let Some(file) = Web::get(path) else {
        return (StatusCode::NOT_FOUND, "no such page; the scoreboard is at /\n").into_response();
    };
    let tag = entity_tag(&file);
    let cache = if path.starts_with(VERSIONED) { CACHE_FOREVER } else { CACHE_ASK };
    let caching = [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, cache)];
    if request.get_all(header::IF_NONE_MATCH).iter().any(|asked| names(asked, &tag)) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(header::CONTENT_TYPE, content_type(&file))], file.data).into_response()
}

/// Half of the content's SHA-256 in quotes.
fn entity_tag(file: &EmbeddedFile) -> HeaderValue {
    let hex: String = file.metadata.sha256_hash()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{hex}\"")).expect("hexadecimal digits in quotes are a header value")
}

/// Whether an `If-None-Match` list contains the tag; a weak tag is as good.
fn names(asked: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(asked), Ok(tag)) = (asked.to_str(), tag.to_str()) else { return false };
    asked.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

fn content_type(file: &EmbeddedFile) -> HeaderValue {
    let mime = file.metadata.mimetype();
    let text = mime.starts_with("text/") || mime.ends_with("/json") || mime.ends_with("+xml");
    let charset = if text { "; charset=utf-8" } else { "" };
    HeaderValue::from_str(&format!("{mime}{charset}")).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str, if_none_match: Option<&str>) -> Response {
        let mut headers = HeaderMap::new();
        if let Some(value) = if_none_match {
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
        }
        answer(path, &headers)
    }

    #[track_caller]
    fn check_type(path: &str, expect: &str) {
        assert_eq!(get(path, None).headers()[header::CONTENT_TYPE], expect, "{path}");
    }

    #[test]
    fn files_have_the_types_that_browsers_insist_on() {
        check_type("index.html", "text/html; charset=utf-8");
        check_type("style.css", "text/css; charset=utf-8");
        check_type("app.js", "text/javascript; charset=utf-8");
        check_type("pieces.svg", "image/svg+xml; charset=utf-8");
    }

    #[test]
    fn a_known_tag_is_answered_with_not_modified() {
        let tag = get("style.css", None).headers()[header::ETAG].to_str().unwrap().to_owned();
        for asked in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".into()] {
            let response = get("style.css", Some(&asked));
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{asked}");
            assert_eq!(response.headers()[header::ETAG], tag);
        }
        assert_eq!(get("style.css", Some("\"other\"")).status(), StatusCode::OK);
    }

    #[test]
    fn only_versioned_files_are_kept_without_asking() {
        let vendored = Web::iter().find(|path| path.ends_with(".esm.js")).expect("mqtt.js is vendored");
        assert_eq!(get(&vendored, None).headers()[header::CACHE_CONTROL], CACHE_FOREVER);
        assert_eq!(get("app.js", None).headers()[header::CACHE_CONTROL], CACHE_ASK);
    }

    #[test]
    fn what_does_not_exist_is_not_found() {
        for path in ["nothing.js", "", "../mod.rs", "..", "/etc/passwd"] {
            assert_eq!(get(path, None).status(), StatusCode::NOT_FOUND, "{path:?}");
        }
    }
}
