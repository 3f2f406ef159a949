/**
 * Returns the path of an operation, relative to `/api/v1`.
 * @param ids The id of the resource, or `<page id>/<id>`. A path with one parameter contains only the last id.
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
