// Questions to the server. The token came behind the # of the address; a reload keeps it.

const given = location.hash.slice(1);
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname);
}

export const token = () => sessionStorage.getItem("token") ?? "";

let waiting = 0;

/** Show a spinner until all that is waited for has come. */
function wait(by) {
  waiting += by;
  document.body.classList.toggle("busy", waiting > 0);
}

function asked(name, body, signal) {
  return fetch(`/api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-samuel-token": token() },
    body: JSON.stringify(body ?? {}),
    signal,
  });
}

async function refused(response) {
  let said = `the server answered with status ${response.status}`;
  try { said = (await response.json()).error ?? said; } catch { /* no JSON */ }
  return new Error(said);
}

/** The answer to a question; throws what the server says against it. */
export async function ask(name, body, signal) {
  wait(1);
  try {
    const response = await asked(name, body, signal);
    if (!response.ok) throw await refused(response);
    return await response.json();
  } finally { wait(-1); }
}

/** Each find of a search that goes on, as it comes, with a spinner. */
export async function* found(...asked) {
  wait(1);
  try { yield* lines(...asked); } finally { wait(-1); }
}

/** The same without one. */
export async function* lines(name, body, signal) {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
  const found = [];
  let tell = () => {}, isOver = false;
  const end = () => { isOver = true; tell(); };
  socket.onopen = () => socket.send(JSON.stringify({ token: token(), name, body }));
  socket.onmessage = ({ data }) => { found.push(JSON.parse(data)); tell(); };
  socket.onclose = end;
  signal?.addEventListener("abort", () => { end(); socket.close(); });
  try {
    for (;;) {
      if (signal?.aborted) throw signal.reason;
      while (found.length) {
        const line = found.shift();
        if (line.error) throw new Error(line.error);
        yield line;
      }
      if (isOver) return;
      await new Promise((resolve) => { tell = resolve; });
    }
  } finally { socket.close(); }
}
