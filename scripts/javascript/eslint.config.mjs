// The law of JavaScript, as pyproject.toml has it for Python. Widths are the formatter's; import circles are
// tests/console/test_console_files.py's, which reads imports anyway.
import { load } from "./tools.mjs";

const globals = await load("globals");
const hooks = await load("eslint-plugin-react-hooks");

const rules = {
  "constructor-super": "error",
  "default-case-last": "error",
  eqeqeq: "error",
  "for-direction": "error",
  "getter-return": "error",
  "max-len": ["error", { code: 110, ignoreStrings: true, ignoreUrls: true }], // texts of catalogs
  "max-lines": ["error", { max: 400 }],
  "max-lines-per-function": ["error", { max: 70 }],
  "no-cond-assign": "error",
  "no-const-assign": "error",
  "no-constant-condition": ["error", { checkLoops: false }],
  "no-dupe-args": "error",
  "no-dupe-else-if": "error",
  "no-dupe-keys": "error",
  "no-duplicate-case": "error",
  "no-duplicate-imports": "error",
  "no-empty": "error",
  "no-eval": "error",
  "no-fallthrough": "error",
  "no-implied-eval": "error",
  "no-irregular-whitespace": "error",
  "no-redeclare": "error",
  "no-restricted-syntax": [
    "error",
    {
      selector: "TemplateLiteral[quasis.0.value.raw=/\\n/]:not(TaggedTemplateExpression > TemplateLiteral)",
      message: "Only html`` runs over lines: their indentation is not part of a release.",
    },
  ],
  "no-self-assign": "error",
  "no-shadow": "error",
  "no-undef": "error",
  "no-unreachable": "error",
  "no-unsafe-finally": "error",
  "no-unsafe-negation": "error",
  "no-unused-expressions": ["error", { allowTaggedTemplates: true }],
  "no-unused-vars": ["error", { varsIgnorePattern: "^_$" }],
  "no-use-before-define": ["error", { functions: false, variables: false }],
  "no-var": "error",
  "prefer-const": ["error", { destructuring: "all" }],
  "use-isnan": "error",
  "valid-typeof": "error",
};

export default [
  { ignores: ["**/vendor/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["src/**/*.js"],
    languageOptions: { globals: globals.browser },
    plugins: { "react-hooks": hooks },
    rules: { ...rules, "react-hooks/rules-of-hooks": "error" },
  },
  { files: ["**/*.mjs"], languageOptions: { globals: globals.node }, rules },
];
