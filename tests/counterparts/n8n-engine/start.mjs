// n8n's engine with the nodes of a compiled package: one JSON object a line in, one out.
// Around the engine n8n has a server and a database. What they give to it is here: credentials are those
// of the line, and what n8n stores for a trigger stays in the process.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
require("reflect-metadata");
const core = require("n8n-core");
const { ICredentialsHelper, Workflow, createRunExecutionData } = require("n8n-workflow");
const { Container } = require("@n8n/di");

await Container.get(core.BinaryDataService).init();
const loader = new core.PackageDirectoryLoader(process.argv[2]);
await loader.loadAll();
// As a tool of an agent, a node has a name that ends with Tool.
const typeOf = (name) => loader.getNode(name.split(".").at(-1).replace(/Tool$/, "")).type;
const nodeTypes = {
  getByName: typeOf,
  getByNameAndVersion: typeOf,
  getKnownTypes: () => loader.known.nodes,
};

class Credentials extends ICredentialsHelper {
  constructor(values) {
    super();
    this.values = values;
  }

  async getDecrypted() {
    return this.values;
  }

  getParentTypes() {
    return [];
  }

  async preAuthentication() {
    return undefined;
  }

  // Generic authentication, as n8n's server does it: values of headers are expressions over the credential.
  async authenticate(credentials, type, options, workflow, node) {
    const { headers } = loader.getCredential(type).type.authenticate.properties;
    for (const [name, value] of Object.entries(headers)) {
      const resolved = workflow.expression.getSimpleParameterValue(node, value, "internal", {
        $credentials: credentials,
      });
      options.headers = { ...options.headers, [name]: resolved };
    }
    return options;
  }
}

/** By API key. */
const stored = {};

function opened({
  node,
  type = "signalpost",
  parameters,
  credentials,
  executionId = "1",
  onError,
  retryOnFail,
  webhookBase,
}) {
  const description = {
    id: "node-1",
    name: node ?? "Signalpost",
    type: `n8n-nodes-signalpost.${type}`,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    credentials: { signalpostApi: { id: "1", name: "Signalpost" } },
    onError,
    retryOnFail,
    maxTries: 2,
    waitBetweenTries: 1,
    webhookId: "hook-1",
  };
  const settings = { timezone: "Europe/Berlin" };
  const staticData = (stored[credentials.apiKey] ??= {});
  const connections = {};
  const workflow = new Workflow({
    id: "wf-1",
    name: "Test",
    nodes: [description],
    connections,
    nodeTypes,
    settings,
    staticData,
  });
  const additionalData = {
    credentialsHelper: new Credentials(credentials),
    executionId,
    currentNodeParameters: parameters,
    webhookBaseUrl: webhookBase,
    hooks: new core.ExecutionLifecycleHooks("manual", executionId, { id: "wf-1" }),
    currentNodeExecutionIndex: 0,
    variables: {},
  };
  return { workflow, node: workflow.getNode(description.name), additionalData };
}

const failure = (error) => ({
  name: error.constructor.name,
  message: error.message,
  description: error.description,
  httpCode: error.httpCode,
  itemIndex: error.context?.itemIndex,
});

const commands = {
  async execute({ items, ...of }) {
    const { workflow, node, additionalData } = opened(of);
    const stack = [{ node, data: { main: [items ?? [{ json: {} }]] }, source: null }];
    const data = createRunExecutionData({ executionData: { nodeExecutionStack: stack } });
    const run = await new core.WorkflowExecute(additionalData, "manual", data).processRunExecutionData(
      workflow,
    );
    const { runData, error } = run.data.resultData;
    const last = runData[node.name]?.at(-1);
    return { items: last?.data?.main?.[0] ?? [], ...(error ? { error: failure(error) } : {}) };
  },

  async options({ method, ...of }) {
    const { workflow, node, additionalData } = opened(of);
    const context = new core.LoadOptionsContext(workflow, node, additionalData, "");
    return nodeTypes.getByName(node.type).methods.loadOptions[method].call(context);
  },

  async hook({ method, ...of }) {
    const { workflow, node, additionalData } = opened({ ...of, type: "signalpostTrigger" });
    const context = new core.HookContext(workflow, node, additionalData, "trigger", "activate");
    const result = await nodeTypes.getByName(node.type).webhookMethods.default[method].call(context);
    return {
      result,
      url: context.getNodeWebhookUrl("default"),
      stored: { ...context.getWorkflowStaticData("node") },
    };
  },

  async deliver({ headers, body, ...of }) {
    const { workflow, node, additionalData } = opened({ ...of, type: "signalpostTrigger" });
    const response = {};
    const status = (code) => ((response.status = code), { json: (document) => (response.body = document) });
    const rawBody = Buffer.from(body, "base64");
    Object.assign(additionalData, { httpRequest: { headers, rawBody }, httpResponse: { status } });
    const webhook = {
      node: node.name,
      webhookDescription: nodeTypes.getByName(node.type).description.webhooks[0],
    };
    const context = new core.WebhookContext(workflow, node, additionalData, "trigger", webhook, [], null);
    return { ...(await nodeTypes.getByName(node.type).webhook.call(context)), response };
  },

  async known() {
    return { nodes: Object.keys(loader.known.nodes), credentials: Object.keys(loader.known.credentials) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...of } = JSON.parse(line);
  const answer = await commands[command](of).catch((error) => ({ error: failure(error) }));
  process.stdout.write(`${JSON.stringify({ answer })}\n`);
}
process.exit(0);
