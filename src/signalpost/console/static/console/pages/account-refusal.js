// A refused password or code is said at its field.
import { useState } from "../html.js";
import { Problem } from "../api.js";
import { t } from "../i18n.js";

/** @typedef {{currentPassword?: string, password?: string, code?: string}} Refusal */

/**
 * What was refused, by field, and a function that runs a call and notes that. Other problems are thrown.
 * @returns {[Refusal, (act: () => Promise<void>) => Promise<void>]}
 */
export function useRefusal() {
  const [refusal, setRefusal] = useState(/** @type {Refusal} */ ({}));
  const attempt = async (/** @type {() => Promise<void>} */ act) => {
    setRefusal({});
    try {
      await act();
    } catch (problem) {
      const refusals = problem instanceof Problem ? refused(problem) : null;
      if (!refusals) throw problem;
      setRefusal(refusals);
    }
  };
  return [refusal, attempt];
}

/** @param {Problem} problem @returns {Refusal | null} */
function refused(problem) {
  if (problem.code === "second_factor_required") return { code: t("Enter the code that the app shows.") };
  if (problem.code === "invalid_credentials" && /code/.test(problem.message))
    return { code: t("This code is wrong, or was used before. Wait for the next one.") };
  if (problem.code === "invalid_credentials") return { currentPassword: t("This is not your password.") };
  const [issue] = problem.issues;
  if (issue?.path !== "/password") return null;
  return {
    password:
      issue.code === "not_unique"
        ? t("This is the password that you have. Choose another one.")
        : issue.code === "too_common"
          ? t("Many people have this password. Choose another: a few words.")
          : t("At least 10 characters."),
  };
}
