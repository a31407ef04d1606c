import { NodeApiError, NodeConnectionTypes, NodeOperationError } from "n8n-workflow";
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from "n8n-workflow";

import { getAccounts, getNetworks, getProfiles } from "../../shared/options";
import { list, listProperties } from "./lists";
import { mediaProperties, upload } from "./media";
import { post, postProperties } from "./post";

export class Signalpost implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Signalpost",
    name: "signalpost",
    icon: { light: "file:../../icons/signalpost.svg", dark: "file:../../icons/signalpost.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: "Publish to social networks, schedule posts, and upload files",
    defaults: { name: "Signalpost" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "signalpostApi", required: true }],
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Account", value: "account" },
          { name: "Client", value: "profile" },
          { name: "File", value: "media" },
          { name: "Post", value: "post" },
        ],
        default: "post",
      },
      ...postProperties,
      ...mediaProperties,
      ...listProperties,
    ],
  };

  methods = { loadOptions: { getAccounts, getNetworks, getProfiles } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        for (const json of await run(this, item)) results.push({ json, pairedItem: { item } });
      } catch (error) {
        if (!this.continueOnFail()) {
          const at = { itemIndex: item };
          throw error instanceof NodeApiError ? error : new NodeOperationError(this.getNode(), error as Error, at);
        }
        const { message, description, httpCode } = error as NodeApiError;
        const json: IDataObject = { error: message, description: description ?? null, httpCode: httpCode ?? null };
        results.push({ json, error: error as NodeApiError, pairedItem: { item } });
      }
    }
    return [results];
  }
}

async function run(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const resource = context.getNodeParameter("resource", item) as string;
  const operation = context.getNodeParameter("operation", item) as string;
  if (resource === "post") return post(context, operation, item);
  if (resource === "media") return upload(context, item);
  return list(context, resource, item);
}
