// Another workspace, with members, clients and a plan of its own.
import { html, useState } from "../html.js";
import { newKey, post } from "../api.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { t } from "../i18n.js";
import { chooseWorkspace } from "../store.js";

/** @param {{onClose: () => void}} props */
export default function NewWorkspace({ onClose }) {
  const [key] = useState(newKey);
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const form = useForm({ name: "", timezone }, async (values) => {
    const { id } = await post("/workspaces", values, { key });
    chooseWorkspace(id);
  });
  return html`
    <${FormDialog}
      title=${t("New workspace")}
      form=${form}
      submit=${t("Create it")}
      onClose=${onClose}
    >
      <p class="soft">${t("It has members, clients and a plan of its own.")}</p>
      <${Field} label=${t("Name")} maxlength="100" autofocus ...${form.field("name")} />
      <${Field}
        label=${t("Time zone")}
        options=${[...new Set([timezone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((name) => [
          name,
          name,
        ])}
        ...${form.field("timezone")}
      />
    <//>
  `;
}
