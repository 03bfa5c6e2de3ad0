// @ts-check
// The page for those who come without the token. Browsers hold the cookie back when a page of somebody
// else leads here, as a mail with a link does: so it is tried once more, from a page of our own.

const there = new URL(location.href);
if (!there.searchParams.has("token") && !there.searchParams.has("again")) {
  there.searchParams.set("again", "");
  location.replace(there);
}
