import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { attachHealth } from 'hale/nest';
import { AppModule } from './app-module.js';
import { health } from './health.js';

// Probes are answered from here on; readiness waits for Nest.
const [probes] = await health.start();

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.setGlobalPrefix('shop');
// Before app.listen(). Leave app.enableShutdownHooks() out: app.close() is called in the drain.
attachHealth(app, health);
await app.listen(process.env.PORT ?? 3000);

console.log(`app ${await app.getUrl()} probes http://127.0.0.1:${probes?.port}`);
