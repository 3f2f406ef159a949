export { Html, html, type Piece } from './html.ts';
