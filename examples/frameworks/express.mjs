import express from 'express';
import { createHealth } from 'hale';
import { attachHealth } from 'hale/express';

const health = createHealth({ version: '1.0.0' });
const app = express();

app.use((request, response, next) => {
  if (request.get('x-key') === 'tea') next();
  else response.status(401).send('who are you?');
});
app.use(express.json());
app.get('/orders', (_request, response) => {
  response.json([{ item: 'tea' }]);
});
app.get('/report', (_request, response) => {
  // Slow, so that a stop signal meets it in flight.
  setTimeout(() => response.json({ sold: 1 }), 1000);
});

// Before app.listen(); among the middlewares it may stand anywhere.
attachHealth(app, health);

const [probes] = await health.start();
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(
    `app http://127.0.0.1:${server.address().port} probes http://127.0.0.1:${probes.port}`,
  );
});
