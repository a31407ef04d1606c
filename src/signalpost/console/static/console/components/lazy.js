// Components whose modules are loaded when they are first shown, so that a page weighs only what it shows.
import { html, useEffect, useState } from "../html.js";
import { useLoad } from "../hooks.js";
import { loadModule } from "../modules.js";
import { Loaded } from "./loaded.js";
import { toastProblem } from "./toasts.js";

/** @typedef {() => Promise<{default: unknown}>} Load */

/**
 * A part of a page. `ready()` loads it before it is shown, for a page where something stands below it: what
 * moves while it is pressed is missed.
 * @param {Load} load
 * @param {number} [lines] of text that it is about as high as
 */
export function lazy(load, lines = 9) {
  /** @type {unknown} */
  let component;
  const ready = async () => (component ??= (await loadModule(load)).default);
  function Lazy(/** @type {any} */ props) {
    const loaded = useLoad(ready, []);
    if (component) return html`<${component} ...${props} />`;
    return html`
      <${Loaded} loaded=${loaded} lines=${lines}>
        ${() => null}
      <//>
    `;
  }
  Lazy.ready = ready;
  return Lazy;
}

/** A dialog, or a part in whose place nothing stands until it is there. @param {Load} load */
export function lazyDialog(load) {
  return function LazyDialog(/** @type {any} */ props) {
    const [component, setComponent] = useState(/** @type {unknown} */ (null));
    useEffect(() => {
      loadModule(load).then((module) => setComponent(() => module.default), toastProblem);
    }, []);
    return component && html`<${component} ...${props} />`;
  };
}
