// What the lists of the nodes offer: read from the service when a list is opened.
import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from "n8n-workflow";

import { call, rows } from "./api";

const byName = (one: INodePropertyOptions, other: INodePropertyOptions) => one.name.localeCompare(other.name);

export async function getProfiles(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const profiles = await rows(this, { method: "GET", path: "/profiles" });
  return profiles.map((row) => ({ name: String(row["name"]), value: String(row["id"]) })).sort(byName);
}

async function accounts(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
  const profileId = context.getCurrentNodeParameter("profileId");
  const query: IDataObject = profileId ? { profileId: profileId as string } : {};
  return rows(context, { method: "GET", path: "/platforms/accounts", query });
}

export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const named = (row: IDataObject) => `${row["displayName"] || row["username"]} (${row["platform"]})`;
  return (await accounts(this)).map((row) => ({ name: named(row), value: String(row["id"]) })).sort(byName);
}

/** The networks where the chosen client has an account, with the names that people know. */
export async function getNetworks(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const connected = new Set((await accounts(this)).map((row) => String(row["platform"])));
  const networks = await call(this, { method: "GET", path: "/platforms" });
  return (networks["data"] as IDataObject[])
    .map((row) => ({ name: String(row["name"]), value: String(row["platform"]) }))
    .filter(({ value }) => connected.has(value))
    .sort(byName);
}
