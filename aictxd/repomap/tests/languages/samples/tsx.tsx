import React from "react";

interface Props { title: string }

/** Shows a card. */
export const Card: React.FC<Props> = ({ title }) => {
  const inner = () => 1;
  return <div>{title}</div>;
};

export function Page(props: Props): JSX.Element {
  return <Card title="a" />;
}

export const Ref = forwardRef<HTMLDivElement, Props>((props, ref) => <div ref={ref} />);
