import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

export class SignalpostApi implements ICredentialType {
  name = "signalpostApi";

  displayName = "Signalpost API";

  icon: Icon = { light: "file:../icons/signalpost.svg", dark: "file:../icons/signalpost.dark.svg" };

  documentationUrl = "https://github.com/signalpost/signalpost/tree/main/clients/n8n#credentials";

  properties: INodeProperties[] = [
    {
      displayName: "Server Address",
      name: "baseUrl",
      type: "string",
      default: "",
      placeholder: "https://post.example.com",
      description: "The address of your Signalpost, as in the browser and without a path",
      required: true,
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      placeholder: "sp_live_…",
      description: "A key of its own for n8n, from the page API Keys of the console, with only the scopes that it needs",
      required: true,
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: "/api/v1/auth/me" },
  };
}
