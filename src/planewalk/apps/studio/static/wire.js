// @ts-check
// The WebSocket: messages out, messages in, and again and again if the server goes away.

/** Where this studio's token is kept for its other pages and tabs: browsers send no server what is stored here,
 *  and show it to no page of another port. door.js knows it by the same name. */
const TOKEN = "planewalk token";

/** Take the token out of the address, which may be copied and shown. */
function keepToken() {
  const address = new URL(location.href), given = address.searchParams.get("token");
  if (given) localStorage.setItem(TOKEN, given);
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

/** @param {(message: any) => void} hear @param {(open: boolean) => void} changed */
export function connect(hear, changed) {
  /** @type {WebSocket | null} */
  let socket = null;
  let wait = 250;
  /** @type {string[]} */
  let queue = [];

  function open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const token = encodeURIComponent(localStorage.getItem(TOKEN) ?? "");
    socket = new WebSocket(`${scheme}://${location.host}/talk?token=${token}`);
    socket.onopen = () => {
      wait = 250;
      changed(true);
      for (const text of queue.splice(0)) socket?.send(text);
    };
    socket.onmessage = (event) => hear(JSON.parse(event.data));
    socket.onclose = () => {
      changed(false);
      queue = [];
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    };
  }
  keepToken();
  open();

  /** @param {any} message */
  return function say(message) {
    const text = JSON.stringify(message);
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else queue.push(text);
  };
}
