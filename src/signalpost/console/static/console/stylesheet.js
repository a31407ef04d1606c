// Styles of a page that the others do not need. They are there before the page is shown.

/** @param {string} url @returns {Promise<void>} */
export const stylesheet = (url) =>
  new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = url;
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(url));
    document.head.append(link);
  });
