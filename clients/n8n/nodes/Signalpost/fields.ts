// What several resources have in common.
import type { IDisplayOptions, INodeProperties } from "n8n-workflow";

export function shown(resource: string, operation: string[]): IDisplayOptions {
  return { show: { resource: [resource], operation } };
}

/** How many rows of a list are returned. */
export function limits(resource: string): INodeProperties[] {
  return [
    {
      displayName: "Return All",
      name: "returnAll",
      type: "boolean",
      displayOptions: shown(resource, ["getAll"]),
      description: "Whether to return all results or only up to a given limit",
      default: false,
    },
    {
      displayName: "Limit",
      name: "limit",
      type: "number",
      typeOptions: { minValue: 1 },
      displayOptions: { show: { resource: [resource], operation: ["getAll"], returnAll: [false] } },
      description: "Max number of results to return",
      default: 50,
    },
  ];
}

/** The operations of a resource that can only be listed. */
export function onlyListed(resource: string, plural: string, description: string): INodeProperties {
  return {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: [{ name: "Get Many", value: "getAll", description, action: `Get many ${plural}` }],
    default: "getAll",
  };
}
