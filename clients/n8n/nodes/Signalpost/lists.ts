// Accounts and clients, which are only listed.
import type { IDataObject, IExecuteFunctions, INodeProperties } from "n8n-workflow";

import { rows } from "../../shared/api";
import { limits, onlyListed, shown } from "./fields";

const PATHS: Record<string, string> = { account: "/platforms/accounts", profile: "/profiles" };

export const listProperties: INodeProperties[] = [
  onlyListed("account", "accounts", "List connected accounts with their state"),
  {
    displayName: "Client Name or ID",
    name: "accountProfileId",
    type: "options",
    typeOptions: { loadOptionsMethod: "getProfiles" },
    displayOptions: shown("account", ["getAll"]),
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    default: "",
  },
  ...limits("account"),
  onlyListed("profile", "clients", "List clients, which accounts and posts belong to"),
  ...limits("profile"),
];

export async function list(context: IExecuteFunctions, resource: string, item: number): Promise<IDataObject[]> {
  const limit = context.getNodeParameter("returnAll", item) ? Infinity : (context.getNodeParameter("limit", item) as number);
  const query: IDataObject = {};
  const profileId = resource === "account" ? context.getNodeParameter("accountProfileId", item, "") : "";
  if (profileId) query["profileId"] = profileId as string;
  return rows(context, { method: "GET", path: String(PATHS[resource]), query, item }, limit);
}
