//! Chains of calls that end in the deletion or change of rows: `User.objects.exclude(…).delete()`,
//! `DB::table('x')->where(…)->delete()`.
//!
//! Which rows go is said by the links in between. Links are read backwards from the call that ends the chain, in
//! a program without its literals.

use super::super::Tier;
use super::scan::Find as _;

/// Chains of one program that are read.
const MAX_CHAINS: usize = 128;
/// Links of one chain that are read.
const MAX_LINKS: usize = 24;
/// Bytes of one chain.
const MAX_CHAIN: usize = 1024;

/// Calls that end a chain: whether they change rows instead of deleting them.
const ENDS: &[(&str, bool)] = &[
    (".delete(", false),
    ("._raw_delete(", false),
    (".update(", true),
    ("->delete(", false),
    ("->forceDelete(", false),
    ("->update(", true),
];

/// One link: its name, and what it is called with.
struct Link<'r> {
    name: &'r str,
    given: &'r str,
    /// A class is before it (`::`).
    of_class: bool,
}

/// The worst that the chains of a program do: rows of a whole table, or those that a link tells.
pub(super) fn of_rows(run: &str) -> Option<Tier> {
    let ends = ENDS.iter().flat_map(|(end, changes)| {
        let found = run.found(end);
        found.map(|(at, _)| (at, *end, *changes))
    });
    let tier = |(at, end, changes): (usize, &str, bool)| {
        let behind = run.get(at + end.len()..).unwrap_or_default();
        // `objects.delete(id)` takes one out of a collection.
        let of_all = behind.trim_start().starts_with(')');
        if matches!(end, ".delete(" | "->delete(") && !of_all {
            return None;
        }
        let links = links_before(run.get(..at)?);
        let narrowed = django(&links).or_else(|| laravel(&links))?;
        match (narrowed, changes) {
            (false, _) => Some(Tier::Destructive),
            (true, false) => Some(Tier::Risky),
            // As `UPDATE … WHERE` is.
            (true, true) => None,
        }
    };
    ends.take(MAX_CHAINS).filter_map(tier).max()
}

/// Tells if the rows of a Django manager are narrowed; `None` without one. What is only excluded leaves
/// all others.
fn django(links: &[Link]) -> Option<bool> {
    const MANAGERS: &[&str] = &[
        "objects",
        "all_objects",
        "_default_manager",
        "_base_manager",
    ];
    let manager = links
        .iter()
        .position(|link| MANAGERS.contains(&link.name))?;
    // They are read backwards.
    let behind = links.get(..manager)?;
    // `bucket.objects.filter(Prefix=…)`: all that a bucket has there.
    let prefixed = |link: &Link| link.given.contains("Prefix");
    let narrows = |link: &Link| {
        is_given(link) && matches!(link.name, "filter" | "get" | "in_bulk") && !prefixed(link)
    };
    // mongoengine: `User.objects(name='x')`.
    let asked = links.get(manager).is_some_and(is_given);
    Some(asked || behind.iter().any(|link| narrows(link) || is_one(link)))
}

/// The same of a query of Laravel's: `DB::table(…)`, `User::query()`, `User::where(…)`.
fn laravel(links: &[Link]) -> Option<bool> {
    let first = links.last()?;
    let table = links
        .iter()
        .any(|link| link.name == "table" && is_given(link));
    let model = first.of_class
        && (matches!(
            first.name,
            "query" | "newQuery" | "all" | "withTrashed" | "onlyTrashed" | "withoutGlobalScopes"
        ) || narrows(first));
    (model || (table && (first.of_class || first.name == "DB")))
        .then(|| links.iter().any(|link| narrows(link) || is_one(link)))
}

/// Returns true if a link takes one row out of all, or none.
fn is_one(link: &Link) -> bool {
    matches!(
        link.name,
        "first" | "last" | "latest" | "earliest" | "create" | "get_or_create" | "none" | "sole"
    )
}

fn is_given(link: &Link) -> bool {
    !link.given.trim().is_empty()
}

fn narrows(link: &Link) -> bool {
    let name = link.name;
    is_given(link)
        && (name.starts_with("where") || name.starts_with("orWhere") || name.starts_with("find"))
}

/// The links of the chain that a text ends with, the last first.
fn links_before(text: &str) -> Vec<Link<'_>> {
    let mut from = text.len().saturating_sub(MAX_CHAIN);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut rest = text.get(from..).unwrap_or_default();
    let mut links = Vec::new();
    while links.len() < MAX_LINKS {
        rest = rest.trim_end().trim_end_matches('\\').trim_end();
        let (before, given) = match rest.strip_suffix(')') {
            Some(inside) => {
                let Some(open) = opening(inside) else { break };
                let given = inside.get(open + 1..).unwrap_or_default();
                (inside.get(..open).unwrap_or_default(), given)
            }
            None => (rest, ""),
        };
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let head = before.trim_end_matches(part);
        let name = before.get(head.len()..).unwrap_or_default();
        if name.is_empty() {
            break;
        }
        let joined = head.trim_end();
        let of_class = joined.ends_with("::");
        links.push(Link {
            name,
            given,
            of_class,
        });
        let joint = ["?->", "->", "::", "."].iter();
        match joint
            .into_iter()
            .find_map(|joint| joined.strip_suffix(joint))
        {
            Some(more) if !of_class => rest = more,
            _ => break,
        }
    }
    links
}

/// Returns the start of the bracket that is closed behind `inside`.
fn opening(inside: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, byte) in inside.bytes().enumerate().rev() {
        match byte {
            b')' => open += 1,
            b'(' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_say_which_rows() {
        let all = Some(Tier::Destructive);
        let some = Some(Tier::Risky);
        for (program, want) in [
            ("U.objects.all().delete()", all),
            ("U.objects.delete()", all),
            ("print(U.objects.exclude(is_superuser=True).delete())", all),
            ("U.objects.order_by('').all()._raw_delete(db)", all),
            ("U.objects.filter().delete()", all),
            (
                "U.objects\\\n  .using('')\n  .exclude(a=f(1)).update(x=1)",
                all,
            ),
            ("U.objects.filter(pk='').delete()", some),
            (
                "U.objects.all().filter(a=(1, 2)).exclude(b=3).delete()",
                some,
            ),
            ("U.objects.get(pk=5).delete()", some),
            ("U.objects.filter(pk=1).update(a=2)", None),
            ("DB::table(\" \")->delete();", all),
            ("DB::connection('')->table('')->delete();", all),
            ("User::query()->forceDelete();", all),
            ("User::all()->each->delete();", all),
            ("DB::table('')->update(['' => 1]);", all),
            ("DB::table('')->where('', 5)->delete();", some),
            ("User::whereNull('')->delete();", some),
            ("User::find(5)->delete();", some),
            ("DB::table('')->where('', 5)->update([]);", None),
            ("$user->delete();", None),
            ("Storage::disk('')->delete('');", None),
            ("Http::withToken('')->delete('');", None),
            (
                "cache.delete(key); settings.update(a=1); d['objects'].update(x)",
                None,
            ),
            ("requests.delete(url)", None),
            (").delete()", None),
            ("(((.objects.update(", all),
            ("U.objects.first().delete()", some),
            ("U.objects(name='').delete()", some),
            ("s.objects.delete(id)", None),
            ("svc.objects().delete(bucket='', object='')", None),
            ("User::query()->first()->delete();", some),
            ("bucket.objects.filter(Prefix='').delete()", all),
            ("apps.get_model('', '').objects.all().delete()", all),
        ] {
            assert_eq!(of_rows(program), want, "{program}");
        }
    }

    proptest::proptest! {
        /// Whatever stands around the ends of chains.
        #[test]
        fn any_text_is_read(parts in proptest::collection::vec("(\\PC{0,6}|[().:>\\-]{1,4}|é|objects|DB::table|\\.delete\\(|->update\\()", 0..40)) {
            of_rows(&parts.concat());
        }
    }
}
