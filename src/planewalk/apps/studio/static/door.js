// @ts-check
// The page for those who come without the token. Where this browser had it before, as for links and reloaded
// pages, wire.js has kept it.

const there = new URL(location.href), kept = localStorage.getItem("planewalk token");
if (kept && kept !== there.searchParams.get("token")) {
  there.searchParams.set("token", kept);
  location.replace(there);
}
