// @ts-check
// The WebSocket: messages out, messages in, and again and again if the server goes away.

/** Take the token out of the address, which may be copied and shown: a cookie has it by now. */
function tidyAddress() {
  const address = new URL(location.href);
  for (const name of ["token", "again"]) address.searchParams.delete(name);
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
    socket = new WebSocket(`${scheme}://${location.host}/talk`);
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
  tidyAddress();
  open();

  /** @param {any} message */
  return function say(message) {
    const text = JSON.stringify(message);
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else queue.push(text);
  };
}
