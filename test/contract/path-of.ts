/**
 * Returns the path of an operation below `/api/v1`.
 * @param ids Ids for the parameters of the path, the outer id first: `<page>/<own>`.
 */
export function pathOf(name: string, ids: string): string {
  const [, template = ''] = name.split(' ');
  const [outer = '', own = outer] = ids.split('/');
  let rest = template.match(/\{\w+\}/g)?.length === 1 ? [own] : [outer, own];
  return template.replace('/api/v1', '').replaceAll(/\{\w+\}/g, () => {
    const [next = '', ...others] = rest;
    rest = others;
    return next;
  });
}
