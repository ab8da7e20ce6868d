// A link as a QR code, for the camera of a phone. The code that computes it is loaded when somebody asks for one.
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { Skeleton } from "../placeholder.tsx";

/** Modules around the code that stay light: scanners need them. */
const MARGIN = 4;

interface Drawing {
  readonly size: number;
  /** The dark modules as one path. */
  readonly path: string;
}

async function draw(text: string): Promise<Drawing> {
  const { generate } = await import("lean-qr");
  const code = generate(text);
  let path = "";
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x + MARGIN} ${y + MARGIN}h1v1h-1z`;
  }
  return { size: code.size + 2 * MARGIN, path };
}

function Code({ text, label }: Props): ReactNode {
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  useEffect(() => {
    let isGone = false;
    void draw(text).then((drawn) => {
      if (!isGone) setDrawing(drawn);
    });
    return () => {
      isGone = true;
    };
  }, [text]);
  if (!drawing) return <Skeleton rows={2} />;
  const { size, path } = drawing;
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`}>
      <title>{`QR code: ${label}`}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

interface Props {
  readonly text: string;
  /** What the link is, in words. */
  readonly label: string;
}

export function QrCode(props: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>As a QR code</summary>
      {isOpen && <Code {...props} />}
    </details>
  );
}
