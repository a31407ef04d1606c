// Judge addresses in the browser that listens at a port; print a line of JSON about each.
import lighthouse from "lighthouse";

const [port, ...addresses] = process.argv.slice(2);

const missed = (report) =>
  Object.values(report.categories).flatMap(({ auditRefs }) =>
    auditRefs
      .filter(
        ({ id, weight }) => weight > 0 && report.audits[id].score !== null && report.audits[id].score < 0.9,
      )
      .map(({ id }) => id),
  );

for (const address of addresses) {
  const { lhr: report } = await lighthouse(address, { port: Number(port), logLevel: "error" });
  if (report.runtimeError) throw new Error(`${address}: ${report.runtimeError.message}`);
  const value = (audit) => report.audits[audit].numericValue;
  console.log(
    JSON.stringify({
      address: report.finalDisplayedUrl,
      scores: Object.values(report.categories).map(({ score }) => Math.round(score * 100)),
      paintMs: value("largest-contentful-paint"),
      shift: value("cumulative-layout-shift"),
      blockedMs: value("total-blocking-time"),
      missed: missed(report),
    }),
  );
}
