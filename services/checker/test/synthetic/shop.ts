import { text } from 'node:stream/consumers';
import { SECRET, serve } from './start-synthetic.ts';

const html = (title: string, body: string) => `<!doctype html><title>${title}</title>${body}`;

const LOGIN = html(
  'Log in',
  `<h1>Log in</h1><form method="post" action="/login">
   <label>Mail <input name="mail" type="email" placeholder="you@example.com"></label>
   <label>Password <input name="password"></label>
   <label><input type="checkbox" name="stay"> Stay</label>
   <label>Country <select name="country"><option value="fr">France</option><option value="de">Germany</option></select></label>
   <button data-testid="go">Log in</button></form>`,
);

const CART = html(
  'Cart',
  `<h1>Hello, Ada</h1><ul><li>Tea</li><li>Cups</li></ul><p id="late"></p>
   <script>setTimeout(async () => {
     const { total } = await (await fetch('/api/total')).json();
     document.querySelector('#late').textContent = 'Total ' + total;
   }, 200)</script>`,
);

/** Starts a shop with a login, a cart whose content appears with a delay, and an API. */
export function startShop() {
  return serve(async (request, response) => {
    const isIn = request.headers.cookie?.includes('session=ada');
    const send = (body: string) => response.setHeader('content-type', 'text/html').end(body);
    switch (`${request.method} ${request.url}`) {
      case 'GET /':
        return send(LOGIN);
      case 'POST /login': {
        const form = new URLSearchParams(await text(request));
        if (form.get('password') !== SECRET || form.get('country') !== 'de' || !form.has('stay')) {
          return send(html('Log in', `<h1>Wrong password</h1><p>You sent ${form.get('password')}</p>`));
        }
        return response.writeHead(303, { location: '/cart', 'set-cookie': 'session=ada; HttpOnly' }).end();
      }
      case 'GET /cart':
        return isIn ? send(CART) : response.writeHead(303, { location: '/' }).end();
      case 'GET /api/total':
        return response.setHeader('content-type', 'application/json').end('{"total":42}');
      case 'POST /api/echo':
        return response.setHeader('content-type', 'application/json').end(await text(request));
      default:
        return response.writeHead(404).end('nothing here');
    }
  });
}
