// The files of this version that are no modules: styles that one page needs, and drawings.

const FRAME = /** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]')).src;

/** The address of a file that stands beside `app.js`, wherever this module is served. @param {string} path */
export const fileAddress = (path) => new URL(path, FRAME).pathname;

/** Load a style; it is there before the page is shown. @param {string} path @returns {Promise<void>} */
export const stylesheet = (path) =>
  new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = fileAddress(path);
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(path));
    document.head.append(link);
  });
