/** Draws panels in the page that test/deploy/picture.ts opens, with uPlot. */
globalThis.drawPanels = (given) => {
  const colours = ["#3366cc", "#dc3912", "#ff9900", "#109618", "#990099", "#0099c6", "#dd4477", "#66aa00"];
  const format = (unit) => (_, values) =>
    values.map((value) => {
      if (unit === "s") return value < 1 ? `${Math.round(value * 1e5) / 100} ms` : `${value} s`;
      if (unit === "bytes") return `${Math.round(value / 2 ** 20)} MiB`;
      if (unit === "percentunit") return `${Math.round(value * 100)} %`;
      return unit === "reqps" ? `${value}/s` : `${value}`;
    });
  const start = Math.min(...given.flatMap(({ series }) => series.map(({ points }) => points[0][0])));
  let grid;
  let row = "";
  for (const panel of given) {
    if (panel.row !== row || !grid) {
      row = panel.row;
      document.body.insertAdjacentHTML(
        "beforeend",
        '<h2 style="font-size:15px;margin:14px 0 6px"></h2><div></div>',
      );
      document.body.lastElementChild.previousElementSibling.textContent = row;
      grid = document.body.lastElementChild;
      grid.style.cssText = "display:grid;grid-template-columns:repeat(3,1fr);gap:10px";
    }
    const box = document.createElement("div");
    box.style.cssText = "border:1px solid #ddd;padding:6px;min-width:0;overflow:hidden";
    grid.append(box);
    const times = [...new Set(panel.series.flatMap(({ points }) => points.map(([at]) => at)))].sort(
      (a, b) => a - b,
    );
    const columns = panel.series.map(({ points }) => {
      const byTime = new Map(points.map(([at, value]) => [at, value]));
      return times.map((at) => {
        const value = byTime.get(at);
        return value === undefined || Number.isNaN(value) ? null : value;
      });
    });
    const series = panel.series.map(({ label }, index) => ({
      label,
      stroke: colours[index] ?? "#000",
      width: 1.5,
      points: { show: false },
    }));
    const axes = [
      { values: (_, values) => values.map((value) => `${value} s`) },
      { values: format(panel.unit), size: 64 },
    ];
    const options = { title: panel.title, width: 410, height: 170, series: [{}, ...series], axes };
    new uPlot(
      {
        ...options,
        legend: { live: false },
        scales: {
          x: { time: false },
          y: { range: { min: { pad: 0, soft: 0, mode: 1 }, max: { pad: 0.1 } } },
        },
      },
      [times.map((at) => at - start), ...columns],
      box,
    );
    box.querySelectorAll(".u-title").forEach((each) => {
      each.style.fontSize = "13px";
    });
    box.querySelectorAll(".u-legend").forEach((each) => {
      each.style.fontSize = "10px";
    });
  }
};
