// Questions to the server. The token came behind the # of the address; a reload keeps it.

const given = location.hash.slice(1);
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname);
}

function asked(name, body, signal) {
  return fetch(`/api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-samuel-token": sessionStorage.getItem("token") ?? "" },
    body: JSON.stringify(body ?? {}),
    signal,
  });
}

async function refused(response) {
  let said = `the server answers with ${response.status}`;
  try { said = (await response.json()).error ?? said; } catch { /* no JSON */ }
  return new Error(said);
}

/** The answer to a question; throws what the server says against it. */
export async function ask(name, body, signal) {
  const response = await asked(name, body, signal);
  if (!response.ok) throw await refused(response);
  return response.json();
}

/** Each line of a stream, as it comes. */
export async function* lines(name, body, signal) {
  const response = await asked(name, body, signal);
  if (!response.ok) throw await refused(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) {
      const line = JSON.parse(part);
      if (line.error) throw new Error(line.error);
      yield line;
    }
  }
}
