import { useEffect, useId, useRef, useState } from 'react';
import styles from './Chart.module.css';

type Series = { name: string; look: 'first' | 'second'; values: readonly (number | null)[] };

type Props = {
  title: string;
  kind: 'line' | 'bars';
  series: readonly Series[];
  /** The name of each place of the horizontal axis, short and whole. */
  places: readonly { short: string; whole: string }[];
  marks: readonly number[];
  format: (value: number) => string;
};

const [height, left, bottom, top] = [220, 56, 24, 8];
/** How much room the name of a place takes. */
const placeWidth = 64;

/** A chart of figures over time. Who cannot see it reads the table of the same figures. */
export function Chart({ title, kind, series, places, marks, format }: Props) {
  const id = useId();
  const [shown, setShown] = useState<number>();
  const plot = useRef<HTMLDivElement>(null);
  const width = useWidth(plot);
  const highest = marks.at(-1) ?? 1;
  const step = (width - left) / Math.max(1, places.length);
  const xOf = (index: number) => left + step * (index + 0.5);
  const yOf = (value: number) => top + (height - bottom - top) * (1 - value / highest);
  const every = Math.ceil((places.length * placeWidth) / Math.max(placeWidth, width - left));
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption className={styles.head}>
        <h2 id={id}>{title}</h2>
        <Legend kind={kind} series={series} />
      </figcaption>
      <div ref={plot} className={styles.plot} role="presentation" onPointerLeave={() => setShown(undefined)}>
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" className={styles.svg}>
          {marks.map((mark) => (
            <g key={mark}>
              <line x1={left} x2={width} y1={yOf(mark)} y2={yOf(mark)} className={styles.grid} />
              <text x={left - 8} y={yOf(mark) + 4} className={styles.mark} textAnchor="end">
                {format(mark)}
              </text>
            </g>
          ))}
          {places.map(({ short, whole }, index) =>
            index % every === 0 ? (
              <text key={whole} x={xOf(index)} y={height - 6} className={styles.mark} textAnchor="middle">
                {short}
              </text>
            ) : null,
          )}
          {shown !== undefined && (
            <line x1={xOf(shown)} x2={xOf(shown)} y1={top} y2={height - bottom} className={styles.cursor} />
          )}
          {kind === 'line'
            ? series.map((one) => <Line key={one.name} series={one} xOf={xOf} yOf={yOf} />)
            : series.map((one, at) => (
                <Bars key={one.name} series={one} xOf={xOf} yOf={yOf} width={step * 0.36} shift={at - 0.5} />
              ))}
          {places.map(({ whole }, index) => (
            <rect
              key={whole}
              x={xOf(index) - step / 2}
              y={0}
              width={step}
              height={height}
              className={styles.area}
              onPointerEnter={() => setShown(index)}
            />
          ))}
        </svg>
        {shown !== undefined && (
          <Tip place={places[shown]?.whole} at={shown} left={xOf(shown) / width} {...{ series, format }} />
        )}
      </div>
    </figure>
  );
}

function Legend({ kind, series }: Pick<Props, 'kind' | 'series'>) {
  return (
    <ul className={styles.legend}>
      {series.map(({ name, look }) => (
        <li key={name}>
          <i data-look={look} data-kind={kind} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}

type TipProps = Pick<Props, 'series' | 'format'> & { place: string | undefined; at: number; left: number };

/** The figures of one place. @param props.left part of the width that is before it */
function Tip({ place, at, left, series, format }: TipProps) {
  return (
    <p className={styles.tip} style={{ insetInlineStart: `${100 * left}%` }} aria-hidden="true">
      <b>{place}</b>
      {series.map(({ name, values }) => {
        const value = values[at];
        return (
          <span key={name}>
            {name} {value === null || value === undefined ? '–' : format(value)}
          </span>
        );
      })}
    </p>
  );
}

/** The width of an element in pixels, so that the letters of a drawing keep their size. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(480);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.max(200, entry.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

type Scale = { series: Series; xOf: (index: number) => number; yOf: (value: number) => number };

/** A line ends where nothing was measured. A single value between two gaps is a dot. */
function Line({ series: { look, values }, xOf, yOf }: Scale) {
  const runs: string[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push(`${xOf(index)},${yOf(value)}`);
  }
  return runs.map((points) => {
    const [first] = points;
    if (first === undefined) return null;
    const [cx, cy] = first.split(',');
    return points.length === 1 ? (
      <circle key={first} cx={cx} cy={cy} r={2.5} className={styles.dot} data-look={look} />
    ) : (
      <polyline key={first} points={points.join(' ')} className={styles.line} data-look={look} />
    );
  });
}

function Bars({ series: { look, values }, xOf, yOf, width: bar, shift }: Scale & { width: number; shift: number }) {
  return values.map((value, index) => {
    const x = xOf(index) + shift * bar - bar / 2;
    const y = yOf(value ?? 0);
    return <rect key={x} x={x} y={y} width={bar} height={yOf(0) - y} className={styles.bar} data-look={look} />;
  });
}
