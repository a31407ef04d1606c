// Who is signed in.
import { Problem, ROOT, userId, workspaceId } from "./api.js";
import { me } from "./store.js";

/** Who is signed in; without a session the browser goes to the form. @returns {Promise<boolean>} */
export async function identify() {
  const chosen = workspaceId.peek();
  const response = await fetch(`${ROOT}/api/v1/auth/me`, {
    headers: { "X-Console": "1", ...(chosen ? { "X-Workspace-Id": chosen } : {}) },
  });
  if (response.status === 404 && chosen) {
    localStorage.removeItem("workspace"); // no longer a member there
    workspaceId.value = "";
    return identify();
  }
  if (response.status === 401) {
    location.replace(
      `${ROOT}/login?next=${encodeURIComponent(location.pathname.slice(ROOT.length) + location.search)}`,
    );
    return false;
  }
  const document = await response.json();
  if (!response.ok) throw new Problem(document, response.status);
  me.value = document;
  userId.value = document.user.id;
  workspaceId.value = document.workspace.id;
  return true;
}
