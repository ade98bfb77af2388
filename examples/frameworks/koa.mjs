import { createHealth } from 'hale';
import { attachHealth } from 'hale/koa';
import Koa from 'koa';

const health = createHealth({ version: '1.0.0' });
const app = new Koa();

app.use(async (context, next) => {
  if (context.get('x-key') === 'tea') await next();
  else context.throw(401, 'who are you?');
});
app.use(async (context) => {
  if (context.path === '/orders') context.body = [{ item: 'tea' }];
  if (context.path === '/report') {
    // Slow, so that a stop signal meets it in flight.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    context.body = { sold: 1 };
  }
});

// Before app.listen(); among the middlewares it may stand anywhere.
attachHealth(app, health);

const [probes] = await health.start();
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(
    `app http://127.0.0.1:${server.address().port} probes http://127.0.0.1:${probes.port}`,
  );
});
