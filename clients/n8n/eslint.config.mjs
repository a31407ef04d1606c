// n8n's own rules, all of them but the licence: n8n wants MIT for the packages that it verifies.
import { config } from "@n8n/node-cli/eslint";

export default [
  ...config,
  { files: ["package.json"], rules: { "n8n-nodes-base/community-package-json-license-not-default": "off" } },
];
