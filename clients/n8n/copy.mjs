// What n8n reads beside the compiled nodes: icons, and how the nodes are found in its list.
import { cpSync } from "node:fs";

cpSync("icons", "dist/icons", { recursive: true });
cpSync("nodes", "dist/nodes", { recursive: true, filter: (path) => !path.endsWith(".ts") });
