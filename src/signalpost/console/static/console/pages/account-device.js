// What people call the browser and the device that a client's name stands for.
import { t } from "../i18n.js";

/** The first that matches; most browsers name others, too. @type {[RegExp, string][]} */
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
/** @type {[RegExp, string][]} */
const SYSTEMS = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** "Firefox, Linux"; the first word of a program's name. @param {string | null} userAgent */
export function deviceName(userAgent) {
  if (!userAgent) return t("unknown");
  const names = [BROWSERS, SYSTEMS].map((table) => table.find(([sign]) => sign.test(userAgent))?.[1]);
  return names.filter(Boolean).join(", ") || userAgent.split(/[\s/]/)[0].slice(0, 40);
}
