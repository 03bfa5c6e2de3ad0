// @ts-check
// Starts `planewalk dap` for debug sessions, or connects to one at a port, and shows the plane of a session that stands.
const vscode = require("vscode");

const LANGUAGES = ["refunge", "mirrorfunge", "gemooy", "webfunge"];

/** @type {vscode.WebviewPanel | undefined} */
let panel;

/** @param {vscode.ExtensionContext} context */
function activate(context) {
  const adapter = {
    /** @param {vscode.DebugSession} session */
    createDebugAdapterDescriptor(session) {
      const { port } = session.configuration;
      if (port) return new vscode.DebugAdapterServer(port, "127.0.0.1");
      const command = vscode.workspace.getConfiguration("planewalk").get("command", "planewalk");
      return new vscode.DebugAdapterExecutable(command, ["dap"]);
    },
  };
  const configurations = {
    /** @param {vscode.WorkspaceFolder | undefined} folder @param {vscode.DebugConfiguration} wanted */
    async resolveDebugConfiguration(folder, wanted) {
      if (wanted.type) return wanted.port ? withToken(wanted) : wanted;
      const file = vscode.window.activeTextEditor?.document.fileName;
      return file && { type: "planewalk", request: "launch", name: "Walk this program", program: file, stopOnEntry: true };
    },
  };
  const tracker = {
    /** @param {vscode.DebugSession} session */
    createDebugAdapterTracker(session) {
      return { onDidSendMessage: (/** @type {any} */ message) => { if (message.event === "stopped") refresh(session); } };
    },
  };
  const pointed = {
    /** What is under the mouse is asked for as a cell. @param {vscode.TextDocument} document @param {vscode.Position} at */
    provideEvaluatableExpression(document, at) {
      const line = document.lineAt(at.line).text.slice(0, at.character), x = [...line].length;
      return new vscode.EvaluatableExpression(new vscode.Range(at, at.translate(0, 1)), `${x},${at.line}`);
    },
  };
  context.subscriptions.push(
    vscode.languages.registerEvaluatableExpressionProvider(LANGUAGES, pointed),
    vscode.debug.registerDebugAdapterDescriptorFactory("planewalk", adapter),
    vscode.debug.registerDebugConfigurationProvider("planewalk", configurations),
    vscode.debug.registerDebugAdapterTrackerFactory("planewalk", tracker),
    vscode.commands.registerCommand("planewalk.preview", show),
  );
}

/** At a port, planewalk serves only those that know its token. @param {vscode.DebugConfiguration} wanted */
async function withToken(wanted) {
  const asked = { prompt: `The token that planewalk dap --port ${wanted.port} has printed`, password: true };
  const token = wanted.token || process.env.PLANEWALK_DAP_TOKEN || await vscode.window.showInputBox(asked);
  return token && { ...wanted, token };
}

function show() {
  panel ??= vscode.window.createWebviewPanel("planewalk", "The plane", vscode.ViewColumn.Beside, { enableScripts: true });
  panel.onDidDispose(() => { panel = undefined; });
  panel.webview.html = PAGE;
  if (vscode.debug.activeDebugSession) refresh(vscode.debug.activeDebugSession);
}

/** Ask the adapter what is seen, and hand it to the page. @param {vscode.DebugSession} session */
async function refresh(session) {
  if (!panel || session.type !== "planewalk") return;
  panel.webview.postMessage(await session.customRequest("planewalkFrame", {}));
}

const PAGE = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>body{font:14px monospace;color:var(--vscode-foreground)} td{width:1.4em;height:1.4em;text-align:center;padding:0}
th{font-weight:normal;opacity:.7;padding:0 .5em} th.column{writing-mode:vertical-rl;padding:.3em 0}
.walker{outline:2px solid var(--vscode-focusBorder)} .hand{outline:2px dotted var(--vscode-charts-orange)}</style>
<p id="tick"></p><table id="plane"></table>
<script>addEventListener("message", ({ data }) => {
  document.getElementById("tick").textContent = "tick " + data.tick + (data.stop ? ", " + data.stop : "");
  const table = document.getElementById("plane"); table.replaceChildren();
  const [left, top] = data.box, walkers = new Set(), hands = new Set();
  for (const w of data.walkers) { walkers.add(w[1] + "," + w[2]); if (w[7]) hands.add(w[7].join(",")); }
  const word = (line, text, column) => { const cell = document.createElement("th"); cell.textContent = text; if (column) cell.className = "column"; line.append(cell); };
  const edge = (at) => { if (!data.columnPorts) return; const line = table.insertRow(); if (data.ports) word(line, ""); for (const words of data.columnPorts) word(line, words[at], true); };
  edge(0);
  data.rows.forEach((row, y) => { const line = table.insertRow(); if (data.ports) word(line, data.ports[y][0]);
    row.forEach((look, x) => { const cell = line.insertCell(), [text, , fill] = data.looks[look], place = (left + x) + "," + (top + y);
      cell.textContent = text; if (fill) cell.style.background = fill;
      if (walkers.has(place)) cell.className = "walker"; else if (hands.has(place)) cell.className = "hand"; });
    if (data.ports) word(line, data.ports[y][1]); });
  edge(1);
});</script>`;

module.exports = { activate };
