// German of what networks let one choose: labels, helps and values of options, and why one cannot be chosen.
export default /** @type {Record<string, string>} */ ({
});
