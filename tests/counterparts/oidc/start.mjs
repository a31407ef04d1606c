// A certified OpenID provider (github.com/panva/node-oidc-provider), as an operator would run one.
// Its arguments are the port and the client's redirect URI. Prints {"issuer"} when it listens. Reads JSON
// lines: {"claims"} says who signs in next and is confirmed by {"using": true}. Its pages for signing in and
// consenting are those of the library. Runs until standard input closes.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import Provider from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const people = new Map();

const server = createServer();
server.listen(Number(port), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: "signalpost", client_secret: "a-secret-of-the-tests", redirect_uris: [redirectUri] },
    ],
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    pkce: { required: () => true },
    cookies: { keys: ["a-key-of-the-tests"] },
    async findAccount(_context, id) {
      return {
        accountId: id,
        claims: async () => ({ sub: id, email: id, email_verified: true, ...people.get(id) }),
      };
    },
  });
  server.on("request", provider.callback());
  say({ issuer });
});

const orders = createInterface({ input: process.stdin });
orders.on("line", (line) => {
  const { id, claims } = JSON.parse(line);
  people.set(id, claims);
  say({ using: true });
});
orders.on("close", () => process.exit(0));
